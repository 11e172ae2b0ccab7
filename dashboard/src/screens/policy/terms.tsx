import type { InsurancePolicyTerm } from '@banyan/client'
import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type PolicyRef, termsQuery } from '../../api/policies.ts'
import { useSession } from '../../api/session.ts'
import type { Column } from '../../parts/list-page.tsx'
import { Money } from '../../parts/money.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { Rows } from '../../parts/rows.tsx'
import { dayText, timeText, today } from '../../parts/texts.ts'
import type { UrlState } from '../../parts/url-search.ts'
import { Day } from '../../parts/when.tsx'
import { READERS } from './documents.tsx'

type Row = InsurancePolicyTerm

/** The terms that the policy has covered, covers or will cover. */
export function Terms({ at }: { at: PolicyRef }) {
  const query = useQuery(termsQuery(at))
  return (
    <Section title="Terms">
      <Loaded query={query} lines={2}>
        {(terms) =>
          terms.length === 0 ? (
            <Empty title="No terms yet">The first one begins when the policy is issued.</Empty>
          ) : (
            <Rows label="Terms" columns={COLUMNS} rows={terms} idOf={({ start_date }) => start_date} />
          )
        }
      </Loaded>
    </Section>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Term',
    cell: ({ start_date, end_date, cover_from }) => (
      <>
        <Day day={start_date} /> – <Day day={end_date} />
        {cover_from > start_date && (
          <small className="quiet rule">Covered from {dayText(cover_from)}, once it was paid</small>
        )}
      </>
    ),
  },
  { title: 'Cover', cell: coverText },
  { title: 'Issues', cell: ({ issues }) => <Issues issues={issues} /> },
  { title: 'Premium a year', isNumber: true, cell: ({ premium_amounts: { annual } }) => <Money amount={annual} /> },
]

/** What a term is today. */
function coverText({ start_date, end_date, ended_on, cancelled }: Row): string {
  if (cancelled) return 'Cancelled'
  if (ended_on !== null) return `${ended_on < today() ? 'Ended' : 'Ends'} on ${dayText(ended_on)}`
  if (end_date < today()) return 'Over'
  return start_date <= today() ? 'Runs' : 'To come'
}

/** The issues of a term, each a link to its certificate for those who see documents. */
function Issues({ issues }: Pick<Row, 'issues'>) {
  const { role } = useSession()
  if (issues.length === 0) return <span className="quiet">Certificate awaited</span>
  return (
    <Group gap="2px 10px">
      {issues.map(({ issue, issued_at }) =>
        READERS.includes(role) ? (
          <Anchor
            key={issue}
            component={Link}
            size="sm"
            to="."
            search={
              ((before: UrlState) => ({ ...before, document: 'policy_certificate', issue: String(issue) })) as never
            }
            resetScroll={false}
            title={`Certificate of ${timeText(issued_at)}`}
          >
            Issue {issue}
          </Anchor>
        ) : (
          <span key={issue}>Issue {issue}</span>
        ),
      )}
    </Group>
  )
}
