import { consultationId, type Consultation, userId } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type ConsultationRef, consultationQuery, useNews } from '../../api/consultations.ts'
import { may } from '../../api/rights.ts'
import { ADMINISTRATORS } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { readConsultations } from '../../api/work-lists.ts'
import { consultationFilterIn, placeOfConsultation } from '../../parts/consultation-lists.ts'
import { Neighbours } from '../../parts/neighbours.tsx'
import { places } from '../../parts/places.ts'
import { textIn } from '../../parts/url-search.ts'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { AskPurpose } from '../../parts/ask-purpose.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/when.tsx'
import { Close } from './close.tsx'
import { Composer } from './composer.tsx'
import { Messages } from './messages.tsx'
import { PersonId } from '../../parts/person-id.tsx'
import './consultation.css'

/** One consultation as a thread: what was written, and a place to reply. */
export function Screen() {
  const params: { userId?: string; consultationId?: string } = useParams({ strict: false })
  const at = { userId: userId(params.userId ?? ''), id: consultationId(params.consultationId ?? '') }
  const query = useQuery(consultationQuery(at))
  return (
    <Page title={<>Consultation {query.data && <StateBadge state={query.data.status} />}</>} aside={<Id id={at.id} />}>
      <Neighbours
        id={at.id}
        list={places.consultations}
        read={(state, signal) =>
          readConsultations(consultationFilterIn(state), { after: textIn(state['after']), signal })
        }
        placeOf={placeOfConsultation}
      />
      <Loaded query={query} lines={8}>
        {(consultation) => <Inside key={at.id} at={at} consultation={consultation} />}
      </Loaded>
    </Page>
  )
}

function Inside({ at, consultation }: { at: ConsultationRef; consultation: Consultation }) {
  const { role } = useSession()
  const isNewsOn = useNews(at)
  // Those who reply need no reason to read what is written to them.
  const [purpose, setPurpose] = useState<string | undefined>()
  const isSealed = (ADMINISTRATORS as readonly string[]).includes(role) && purpose === undefined
  return (
    <>
      <Facts
        facts={[
          ['Person', <PersonId id={at.userId} tab="consultations" />],
          ['Provider', <Named id={consultation.benefit_provider_id} />],
          ['Opened', <Time at={consultation.created_at} />],
        ]}
      />
      <Section
        title="Messages"
        aside={may(role, 'setConsultationStatus') && <Close at={at} state={consultation.status} />}
      >
        {isSealed ? (
          <AskPurpose label="Show messages" give={async (given) => setPurpose(given)} />
        ) : (
          <Messages at={at} providerId={consultation.benefit_provider_id} purpose={purpose} isReady={isNewsOn} />
        )}
        {may(role, 'createMessage') && <Composer at={at} isClosed={consultation.status === 'CLOSED'} />}
      </Section>
    </>
  )
}
