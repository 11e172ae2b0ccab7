import type { InsurancePolicy } from '@banyan/client'
import { Group, SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { documentQuery, type DocumentType } from '../../api/documents.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { type Role, WRITERS } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { documentName } from './document-names.ts'
import { PdfFrame } from './pdf-frame.tsx'
import { Upload } from './upload.tsx'

const UPLOADERS: readonly Role[] = ['benefit_provider', ...WRITERS]
/** A viewer sees no documents: they hold data about health. */
export const READERS: readonly Role[] = ['platform', ...UPLOADERS]

/** The documents of a policy, shown in the page; the one on show is in the address. */
export function Documents({ policy, at }: { policy: InsurancePolicy; at: PolicyRef }) {
  const [{ document }, setState] = useUrlState()
  const { role } = useSession()
  const choices = choicesOf(policy)
  const shown = choices.find(({ value }) => value === document) ?? choices[0]
  return (
    <Section
      title="Documents"
      aside={
        shown &&
        UPLOADERS.includes(role) && <Upload key={shown.value} policy={at} type={shown.value} name={shown.label} />
      }
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
  return (
    <Loaded query={query} lines={8}>
      {({ file }) => <PdfFrame file={file} name={name} fileName={`${type.replaceAll('/', '-')}.pdf`} />}
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
