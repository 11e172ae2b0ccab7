/**
 * An insurer's nightly job: every application that waits is checked and issued under the insurer's own number. What the
 * service refuses stays for a person, and the job goes on; run again, it finds only what is left.
 */
import { Banyan, ConflictError, InvalidStateError, type ListedInsurancePolicy } from '@banyan/client'

const { BANYAN_URL, INSURER_BASIC_TOKEN, ISSUES_MAX = '1000' } = process.env
const insurer = new Banyan({ basicToken: INSURER_BASIC_TOKEN, baseUrl: BANYAN_URL, userAgent: 'insurer-nightly/1.0' })

/** Yours: what your own systems say about an application. */
const isAcceptable = ({ plan_code }: ListedInsurancePolicy): boolean => plan_code !== ''

async function issue({ id, user_id }: ListedInsurancePolicy): Promise<void> {
  const { policies } = insurer.user(user_id)
  await policies.setStatus(id, { status: 'VERIFICATION' })
  await policies.setStatus(id, { status: 'APPROVED' })
  await policies.setStatus(id, { status: 'ISSUED', external_policy_id: `NORTH/${id}` })
}

let issued = 0
let left = 0
for (const application of await insurer.policies.list({ status: ['PENDING'] }).all(Number(ISSUES_MAX))) {
  if (!isAcceptable(application)) continue
  try {
    await issue(application)
    issued++
  } catch (error) {
    if (!(error instanceof ConflictError || error instanceof InvalidStateError)) throw error
    console.log('left for a person', application.id, error.message)
    left++
  }
}
console.log('issued', issued, 'left', left)
