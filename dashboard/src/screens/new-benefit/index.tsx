import { benefitProviderId, sponsorId } from '@banyan/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { banyan } from '../../api/banyan.ts'
import { namesIn, namesQuery } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'
import { BenefitForm, type BenefitValues, type Parties } from '../../parts/benefit-form.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { sponsorChoicesQuery } from '../../api/sponsor-names.ts'

/** Creates a benefit; `sponsor` in the address chooses who pays. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const names = useQuery(namesQuery(role))
  const sponsors = useQuery(sponsorChoicesQuery)
  const wanted = textIn(state['sponsor'])
  return (
    <Page title="New benefit">
      <Loaded query={names} lines={6}>
        {(companies) => (
          <Loaded query={sponsors} lines={6}>
            {(known) => {
              const choices = known.map(({ id, name, slug }) => ({ value: id as string, label: `${name} (${slug})` }))
              const isKnown = choices.some(({ value }) => value === wanted)
              if (wanted !== undefined && !isKnown) choices.push({ value: wanted, label: wanted })
              return <Form providers={namesIn(companies, 'bpr')} sponsors={choices} sponsorId={wanted} />
            }}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

function Form(parties: Parties) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  if (parties.providers.length === 0) return <Empty title="No benefit provider yet">Create one first.</Empty>
  if (parties.sponsors.length === 0) return <Empty title="No sponsor yet">Create one first.</Empty>
  const create = async (values: BenefitValues, signal: AbortSignal) => {
    const body = {
      name: values.name,
      benefit_provider_id: benefitProviderId(values.providerId),
      sponsor_id: sponsorId(values.sponsorId),
      plans: values.plans,
    }
    const { id } = await banyan.benefits.create(body, { signal })
    await queries.invalidateQueries({ queryKey: ['benefits'] })
    await navigate({ to: places.benefit(id) })
  }
  return (
    <BenefitForm parties={parties} submit="Create" send={create} cancel={() => void navigate({ to: '/benefits' })} />
  )
}
