import type { InsurancePolicy } from '@banyan/client'
import { Group, SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { documentQuery, type DocumentType } from '../../api/documents.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { useSession } from '../../api/session.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { documentName } from './document-names.ts'
import { Upload } from './upload.tsx'

const UPLOADERS: readonly string[] = ['benefit_provider', 'operator', 'owner']

/** The documents of a policy, shown in the page; the one on show is in the address. */
export function Documents({ policy, at }: { policy: InsurancePolicy; at: PolicyRef }) {
  const [{ document }, setState] = useUrlState()
  const { role } = useSession()
  const choices = choicesOf(policy)
  const shown = choices.find(({ value }) => value === document) ?? choices[0]
  return (
    <Section
      title="Documents"
      aside={shown && UPLOADERS.includes(role) && <Upload policy={at} type={shown.value} name={shown.label} />}
    >
      {shown ? (
        <Stack gap="xs">
          <Group className="scroll">
            <SegmentedControl
              size="xs"
              aria-label="Document"
              data={choices}
              value={shown.value}
              onChange={(value) => setState({ document: value }, { replaces: true })}
            />
          </Group>
          <Viewer policy={at} type={shown.value} name={shown.label} />
        </Stack>
      ) : (
        <Empty title="No documents yet">They are made when the policy is issued.</Empty>
      )}
    </Section>
  )
}

function Viewer({ policy, type, name }: { policy: PolicyRef; type: DocumentType; name: string }) {
  const query = useQuery(documentQuery(policy, type))
  const url = useMemo(() => query.data && URL.createObjectURL(query.data), [query.data])
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return (
    <Loaded query={query} lines={8}>
      {() => (
        <>
          <iframe className="document" src={url} title={name} />
          <a className="download" href={url} download={`${type.replaceAll('/', '-')}.pdf`}>
            Save {name.toLowerCase()}
          </a>
        </>
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
