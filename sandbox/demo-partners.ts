import { randomBytes } from 'node:crypto'
import { type Banyan, type BenefitProvider, ConflictError, type Platform } from '../client/src/index.ts'

/** The partners whose people log in at the sandbox: `OIDC_ROLES` names them by default. */
const INSURER_CODE = 'DEMO_INSURER'
const PLATFORM_NAME = 'DEMO_PLATFORM'
const OTHER_PLATFORM_NAME = 'Demo Platform'
const INSURER = { name: 'Demo General Insurance' }
const CODE_BYTES = 4

export type DemoPartners = { platform: Platform; provider: BenefitProvider }

/** Creates an insurer and a platform: on the first call those of the sandbox's people, afterwards others. */
export async function createPartners(owner: Banyan): Promise<DemoPartners> {
  const first = await createInsurer(owner)
  if (first) return { provider: first, platform: await owner.platforms.create({ name: PLATFORM_NAME }) }
  const code = `${INSURER_CODE}_${randomBytes(CODE_BYTES).toString('hex').toUpperCase()}`
  const provider = await owner.benefitProviders.create({ ...INSURER, code })
  return { provider, platform: await owner.platforms.create({ name: OTHER_PLATFORM_NAME }) }
}

/** Returns the partners of the sandbox's people, creating what is not there. */
export async function findPartners(owner: Banyan): Promise<DemoPartners> {
  const provider =
    (await createInsurer(owner)) ?? (await found(owner.benefitProviders.list(), ({ code }) => code === INSURER_CODE))
  const platform = await found(owner.platforms.list(), ({ name }) => name === PLATFORM_NAME)
  if (!provider) throw new Error(`the insurer ${INSURER_CODE} is not listed`)
  return { provider, platform: platform ?? (await owner.platforms.create({ name: PLATFORM_NAME })) }
}

/** Undefined when it exists. */
const createInsurer = (owner: Banyan): Promise<BenefitProvider | undefined> =>
  owner.benefitProviders.create({ ...INSURER, code: INSURER_CODE }).catch((error: unknown) => {
    if (error instanceof ConflictError) return undefined
    throw error
  })

async function found<Item>(list: AsyncIterable<Item>, is: (item: Item) => boolean): Promise<Item | undefined> {
  for await (const item of list) if (is(item)) return item
  return undefined
}
