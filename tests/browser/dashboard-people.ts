import assert from 'node:assert/strict'
import { Banyan, platformId, RateLimitError, type UserId } from '../../client/src/index.ts'
import { Sandbox } from '../../client/src/sandbox.ts'
import { newCredential } from '../../sandbox/demo.ts'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import { runCommand, type Workspace } from '../support/server.ts'

const CALL_TIMEOUT_MS = 60_000

/** Makes people of the sandbox's platform, as its own program does. */
export async function createPeople({ origin, sandboxUrl, environment }: Workspace) {
  const { stdout } = await runCommand(['token', '--role', 'owner'], environment)
  const own = platformId(SANDBOX_PARTNERS.platform.id)
  const owner = new Banyan({ accessToken: stdout.trim(), baseUrl: origin, timeout: CALL_TIMEOUT_MS })
  const platform = owner.as({ basicToken: (await newCredential(owner.platforms, own)).basic_token })
  const withoutRetries = new Banyan({ baseUrl: origin, maxRetries: 0 })
  const sandbox = new Sandbox(sandboxUrl)
  let lastPhone = 9_000_000_100

  async function newPerson() {
    const phone = { phone_country_code: '+91', phone_number: String(++lastPhone) }
    const { user_id: id } = await platform.users.issueToken({ id_proof: { number: `TEST${lastPhone}` }, ...phone })
    return { id, phone: { ...phone, platform_id: own } }
  }

  /** Makes a person whose wallet the operator rejects, while its mode is `reject`. */
  async function newFailedWallet(): Promise<UserId> {
    const { id, phone } = await newPerson()
    const challenge = await platform.wallet.signIn(phone)
    const session = await challenge.verify(await sandbox.sms.lastCode(`+91${phone.phone_number}`))
    await session.create()
    await assert.rejects(session.waitUntilReady({ timeout: CALL_TIMEOUT_MS }))
    return id
  }

  /** Requests two codes for a phone, of which the second is refused. */
  async function exceedCodeLimit(phone: Awaited<ReturnType<typeof newPerson>>['phone']): Promise<void> {
    await withoutRetries.wallet.signIn(phone)
    await assert.rejects(withoutRetries.wallet.signIn(phone), RateLimitError)
  }

  return { owner, platform, sandbox, newPerson, newFailedWallet, exceedCodeLimit }
}
