import { Button, Group } from '@mantine/core'
import type { ListNextActionsQuery } from '@banyan/client/operations'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { nextActionsQuery } from '../api/next-actions.ts'
import { NextActionRows } from './next-action-rows.tsx'
import { Empty, Loaded } from './outcomes.tsx'
import { Section } from './page.tsx'

const FIRST = 8
const MOST = 100

/** What waits of all people, by due day: the first of it, and more when asked for. */
export function NextActions({ title, filter }: { title: string; filter: ListNextActionsQuery }) {
  const [limit, setLimit] = useState(FIRST)
  const query = useQuery(nextActionsQuery(filter, limit))
  return (
    <Section title={title}>
      <Loaded query={query} lines={4}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title="Nothing waits">What has to be done next comes here, the earliest due day first.</Empty>
          ) : (
            <>
              <NextActionRows label={title} actions={data} isOfSide={filter.who?.length === 1} />
              {next !== null && limit === MOST && !query.isPlaceholderData && (
                <p className="quiet">The first {MOST}. More waits after these.</p>
              )}
              {next !== null && (limit < MOST || query.isPlaceholderData) && (
                <Group justify="flex-end" mt="xs">
                  <Button size="xs" variant="default" loading={query.isPlaceholderData} onClick={() => setLimit(MOST)}>
                    Show more
                  </Button>
                </Group>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
