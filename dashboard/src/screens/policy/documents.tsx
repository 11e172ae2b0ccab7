import { type InsurancePolicy, NotFoundError } from '@banyan/client'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { documentQuery, type DocumentType } from '../../api/documents.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { type Role, WRITERS } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import type { UrlState } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { documentName } from './document-names.ts'
import { PdfFrame } from './pdf-frame.tsx'
import { Upload } from './upload.tsx'

const UPLOADERS: readonly Role[] = ['benefit_provider', ...WRITERS]
/** A viewer sees no documents: they hold data about health. */
export const READERS: readonly Role[] = ['platform', ...UPLOADERS]

/** What every issue has: the enrolment form is of none, and cards of dependants depend on who was covered. */
const OF_ISSUE: readonly DocumentType[] = ['policy_certificate', 'customer_information_sheet', 'health_card/self']

/** The number of an issue in the address. */
const issueIn = (text: UrlState[string]) =>
  typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined

/** The documents of a policy, shown in the page; the one on show is in the address. */
export function Documents({ policy, at }: { policy: InsurancePolicy; at: PolicyRef }) {
  const [{ document, issue: ofIssue }, setState] = useUrlState()
  const { role } = useSession()
  const issue = issueIn(ofIssue)
  const choices = choicesOf(policy).filter(({ value }) => issue === undefined || OF_ISSUE.includes(value))
  const shown = choices.find(({ value }) => value === document) ?? choices[0]
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (issue !== undefined) place.current?.scrollIntoView({ block: 'start' })
  }, [issue])
  return (
    <Section
      title="Documents"
      aside={
        shown &&
        issue === undefined &&
        UPLOADERS.includes(role) && <Upload key={shown.value} policy={at} type={shown.value} name={shown.label} />
      }
    >
      {shown ? (
        <Stack gap="xs" ref={place} className="documents">
          {issue !== undefined && (
            <Group gap="xs">
              <Text size="sm">Of issue {issue}</Text>
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => setState({ issue: undefined }, { replaces: true })}
              >
                Show those of today
              </Button>
            </Group>
          )}
          <Group className="scroll">
            <SegmentedControl
              size="xs"
              aria-label="Document"
              data={choices}
              value={shown.value}
              onChange={(value) => setState({ document: value }, { replaces: true })}
            />
          </Group>
          <Viewer policy={at} type={shown.value} name={shown.label} issue={issue} />
        </Stack>
      ) : (
        <Empty title="No documents yet">They are made when the policy is issued.</Empty>
      )}
    </Section>
  )
}

type ViewerSettings = { policy: PolicyRef; type: DocumentType; name: string; issue: number | undefined }

function Viewer({ policy, type, name, issue }: ViewerSettings) {
  const query = useQuery(documentQuery(policy, type, issue))
  if (query.error instanceof NotFoundError)
    return <Empty title={`${name}: there is none`}>It is older than these documents, or not made yet.</Empty>
  return (
    <Loaded query={query} lines={8}>
      {({ file }) => (
        <PdfFrame
          file={file}
          name={name}
          fileName={`${[type.replaceAll('/', '-'), issue].filter(Boolean).join('-')}.pdf`}
        />
      )}
    </Loaded>
  )
}

function choicesOf({ documents, dependants }: InsurancePolicy): { value: DocumentType; label: string }[] {
  const plain = (['policy_certificate', 'customer_information_sheet', 'enrollment_form'] as const).filter(
    (type) => documents[type] !== null,
  )
  const memberOf = (id: string) => dependants.findIndex((dependant) => dependant.id === id) + 2
  const cards = Object.keys(documents.health_cards).map((member) => ({
    value: `health_card/${member}` as const,
    label: member === 'self' ? 'Card 1' : `Card ${memberOf(member)}`,
  }))
  return [...plain.map((value) => ({ value, label: documentName(value) })), ...cards]
}
