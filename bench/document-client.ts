import { Agent } from 'node:http'
import { get, type Got } from './get.ts'
import { type Documents, issuePolicies } from './issue-policies.ts'
import type { Ground } from './part.ts'

const POLICIES = 20

/** Somebody who gets documents of some policies, one after the other over one connection. */
export type DocumentClient = {
  policies: Documents[]
  certificateBytes: number
  get(address: string): Promise<Got>
  /** Asks for the certificate with its ETag; the response must be a 304. */
  getUnchanged(policy: Documents): Promise<Got>
  /** Of one policy after the other, until it is enough; how many they were. */
  getCertificates(isEnough: (done: number) => boolean): Promise<number>
}

export async function openDocumentClient(ground: Ground): Promise<DocumentClient> {
  const { stage, tenant, closers, say } = ground
  const policies = await issuePolicies(ground, POLICIES)
  say(`${POLICIES} policies with three dependants each are issued`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  closers.push(async () => agent.destroy())
  const authorization = `Bearer ${tenant.platformToken}`
  const getDocument = (address: string) => get(stage.productUrl + address, { agent, headers: { authorization } })

  const certificates = new Map<Documents, Got>()
  for (const policy of policies) certificates.set(policy, await getDocument(policy.policy_certificate))
  return {
    policies,
    certificateBytes: certificates.values().next().value?.bytes ?? 0,
    get: getDocument,
    getUnchanged: (policy) => {
      const headers = { authorization, 'if-none-match': certificates.get(policy)?.etag }
      return get(stage.productUrl + policy.policy_certificate, { agent, headers, status: 304 })
    },
    async getCertificates(isEnough) {
      let done = 0
      for (; !isEnough(done); done++) await getDocument((policies[done % POLICIES] as Documents).policy_certificate)
      return done
    },
  }
}
