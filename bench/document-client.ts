import { Agent } from 'node:http'
import { get, type Got } from './get.ts'
import { type Documents, issuePolicies } from './issue-policies.ts'
import type { Ground } from './part.ts'

const POLICIES = 20

/** Somebody who gets documents of some policies over one connection. */
export type DocumentClient = {
  policies: Documents[]
  /** With an ETag the answer must be a 304. */
  get(address: string, etag?: string): Promise<Got>
  /** Gets certificates one after the other, of one policy after the other. */
  getCertificates(isEnough: (count: number) => boolean): Promise<number>
}

export async function openDocumentClient(ground: Ground): Promise<DocumentClient> {
  const { stage, tenant, closers, say } = ground
  const policies = await issuePolicies(ground, POLICIES)
  say(`${POLICIES} policies with three dependants each are issued`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  closers.push(async () => agent.destroy())
  const headers = { authorization: `Bearer ${tenant.platformToken}` }
  const client: DocumentClient = {
    policies,
    get(address, etag) {
      const conditional = etag === undefined ? {} : { 'if-none-match': etag }
      const status = etag === undefined ? 200 : 304
      return get(`${stage.productUrl}${address}`, { agent, status, headers: { ...headers, ...conditional } })
    },
    async getCertificates(isEnough) {
      let count = 0
      for (; !isEnough(count); count++) {
        await client.get(policies[count % POLICIES]?.policy_certificate ?? '')
      }
      return count
    },
  }
  return client
}
