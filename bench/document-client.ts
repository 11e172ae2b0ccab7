import { Agent } from 'node:http'
import { get, type Download } from './get.ts'
import { type Documents, issuePolicies } from './issue-policies.ts'
import type { BenchContext } from './part.ts'

const POLICIES = 20

/** A client that downloads documents of some policies. */
export type DocumentClient = {
  policies: Documents[]
  certificateBytes: number
  get(path: string): Promise<Download>
  /** Requests the certificate with its ETag; the response must be a 304. */
  getUnchanged(policy: Documents): Promise<Download>
  /** Downloads certificates of the policies in turn, until `isEnough`; resolves to their number. */
  getCertificates(isEnough: (done: number) => boolean): Promise<number>
}

/** Opens a client that downloads as many at a time as it has connections. */
export async function openDocumentClient(context: BenchContext, { connections = 1 } = {}): Promise<DocumentClient> {
  const { stage, tenant, closers, say } = context
  const policies = await issuePolicies(context, POLICIES)
  say(`${POLICIES} policies with three dependants each are issued`)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  closers.push(async () => agent.destroy())
  const authorization = `Bearer ${tenant.platformToken}`
  const getDocument = (path: string) => get(stage.productUrl + path, { agent, headers: { authorization } })

  const certificates = new Map<Documents, Download>()
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
