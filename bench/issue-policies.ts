import { addMonths } from '../src/kernel/date.ts'
import { call } from './ask.ts'
import { PLAN } from './catalogue.ts'
import { dependantCount, START } from './families.ts'
import type { BenchContext } from './part.ts'

const DEPENDANTS = 3

export type Documents = {
  policy_certificate: string
  customer_information_sheet: string
  enrollment_form: string
  health_cards: { self: string }
}

/** Issues policies with three dependants each through the API, so that they have data for documents. */
export async function issuePolicies({ stage, tenant }: BenchContext, count: number): Promise<Documents[]> {
  const platform = `Bearer ${tenant.platformToken}`
  const owner = await stage.administrator('owner')
  const questions = ['Do you smoke?', 'Were you in hospital in the last two years?', 'Do you take medicine every day?']
  const issue = async (userId: string): Promise<Documents> => {
    const user = `/v1/users/${userId}`
    const listing = { method: 'GET', path: `${user}/dependants`, authorization: platform }
    const { data } = await call<{ data: { id: string }[] }>(stage.productUrl, listing)
    const dependant_ids = data.map(({ id }) => id)
    const { id } = await call(stage.productUrl, {
      path: `${user}/insurance_policies`,
      authorization: platform,
      body: {
        benefit_id: tenant.benefitIds[0],
        plan_code: PLAN.plan_code,
        start_date: addMonths(START, PLAN.term_months), // they are in the plan until then
        dependant_ids,
        nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependant_ids[0] },
        questionnaire: { questions: questions.map((question) => ({ question, answer: false })) },
      },
    })
    const path = `${user}/insurance_policies/${id}`
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
      await call(stage.productUrl, { method: 'PUT', path: `${path}/status`, authorization: owner, body: { status } })
    }
    const { documents } = await call<{ documents: Documents }>(stage.productUrl, {
      method: 'GET',
      path,
      authorization: platform,
    })
    return documents
  }
  const families = tenant.people.filter((_, index) => dependantCount(index) === DEPENDANTS).slice(0, count)
  const issued: Documents[] = []
  for (const { userId } of families) issued.push(await issue(userId))
  return issued
}
