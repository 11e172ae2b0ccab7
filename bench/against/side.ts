import { call } from '../ask.ts'
import { type Catalogue, exchange, makeCatalogue } from '../catalogue.ts'
import { drive, type PlannedRequest } from '../drive.ts'
import type { Closers } from '../processes.ts'
import { openStage, type Say, type Stage, type Version } from '../stage.ts'
import { type Meter, METER_SETTINGS, openMeter } from './meter.ts'

type Headers = Record<string, string>

/** One of the two versions: its processes, its database and its clients. Everything on it is created over HTTP. */
export type Side = {
  stage: Stage
  catalogue: Catalogue
  meter: Meter
  /** The headers of the platform and the benefit provider. */
  platform: Headers
  provider: Headers
  /** Returns a number not used on this side before. */
  nextNumber(): number
  /** Sends all requests, 64 at a time; resolves to the responses in the same order. */
  sendAll<T>(requests: PlannedRequest[]): Promise<T[]>
  /** Renews their tokens. */
  signIn(): Promise<void>
}

type SideOptions = { closers: Closers; say: Say; nodeArguments?: string[] }

export async function openSide(version: Version, { closers, ...options }: SideOptions): Promise<Side> {
  const stage = await openStage(closers, { ...options, version, serverSettings: METER_SETTINGS })
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
    sendAll: (requests) => sendAll(stage.productUrl, requests),
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

async function sendAll<T>(url: string, requests: PlannedRequest[]): Promise<T[]> {
  const responses: T[] = []
  let next = 0
  await drive(url, () => {
    const position = next++
    const request = requests[position]
    return request && { ...request, onResponse: (text) => (responses[position] = JSON.parse(text) as T) }
  })
  return responses
}
