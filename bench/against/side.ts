import { call } from '../ask.ts'
import { type Catalogue, exchange, makeCatalogue } from '../catalogue.ts'
import { drive, type Sending } from '../drive.ts'
import type { Closers } from '../processes.ts'
import { openStage, type Say, type Stage, type Version } from '../stage.ts'
import { type Meter, METER_SETTINGS, openMeter } from './meter.ts'

type Headers = Record<string, string>

/** One of the two versions: its processes, its database, and who calls it. All that is done to it goes over HTTP. */
export type Side = {
  stage: Stage
  catalogue: Catalogue
  meter: Meter
  /** What the platform and the benefit provider show. */
  platform: Headers
  provider: Headers
  /** A number that was not used on this side before. */
  nextNumber(): number
  /** Sends them all, 64 at a time; what was answered, in the same order. */
  answersTo<T>(sendings: Sending[]): Promise<T[]>
  /** Renews what they show. */
  signIn(): Promise<void>
}

export async function openSide(version: Version, { closers, say }: { closers: Closers; say: Say }): Promise<Side> {
  const stage = await openStage(closers, { say, version, serverSettings: METER_SETTINGS })
  const catalogue = await makeCatalogue(stage)
  const { basic_token: providerBasic } = await call<{ basic_token: string }>(stage.productUrl, {
    path: `/v1/benefit_providers/${catalogue.benefitProviderId}/credentials`,
    authorization: await stage.administrator('owner'),
  })
  let number = 0
  const side: Side = {
    stage,
    catalogue,
    meter: await openMeter(stage, closers),
    platform: {},
    provider: {},
    nextNumber: () => number++,
    answersTo: (sendings) => answersTo(stage.productUrl, sendings),
    async signIn() {
      const headersFor = async (basic: string) => ({
        authorization: `Bearer ${await exchange(stage.productUrl, basic)}`,
        'content-type': 'application/json',
      })
      side.platform = await headersFor(catalogue.platformBasic)
      side.provider = await headersFor(providerBasic)
    },
  }
  await side.signIn()
  return side
}

async function answersTo<T>(url: string, sendings: Sending[]): Promise<T[]> {
  const responses: T[] = []
  let next = 0
  await drive(url, () => {
    const place = next++
    const sending = sendings[place]
    return sending && { ...sending, answered: (text) => (responses[place] = JSON.parse(text) as T) }
  })
  return responses
}
