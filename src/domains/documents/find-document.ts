import { createHash } from 'node:crypto'
import { encodeQR } from 'qr'
import type { Deps } from '../../deps.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { notFound } from '../../kernel/refusal.ts'
import { cardOfMember } from './card-of-member.ts'
import type { DocumentedPolicy, PolicyDates } from './documented-policy.ts'
import { notYetAvailable } from './errors.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'
import { type Printed, printed, printedHolder } from './present.ts'
import type { DocumentType } from './schemas.ts'
import { type DocumentFile, findSources } from './store.ts'

/** A document with its validator: a stored file, or one that is made when it is asked for. */
export type Document = { etag: string } & (
  | { file: DocumentFile }
  | { make: (signal?: AbortSignal) => Promise<Uint8Array> }
)

export type Kit = Pick<Deps, 'db' | 'vault' | 'typesetter' | 'cards'> & PolicyDates & { origin: string }

/**
 * The document as it can be had now (contract 4.7): the file uploaded in its place, else made from what was kept of the
 * issue. Nothing is typeset here. 404 when the policy does not cover whom the card is asked for, 404 with a detail when
 * the policy was not issued yet.
 */
export async function findDocument(kit: Kit, policy: DocumentedPolicy, type: DocumentType): Promise<Document> {
  const { issue } = issueOf(policy, type)
  const { file, snapshot } = await findSources(kit.db, policy, { documentType: type, issue })
  if (file) return { etag: etagOfFile(file), file }
  if (!snapshot) throw notYetAvailable('The policy was enrolled before this document was kept.')
  return made(kit, { policy, type, snapshot })
}

/** The strong validator of an uploaded document. */
export const etagOfFile = (file: DocumentFile): string => `"${file.sha256}"`

const ENROLMENT = { issue: 0, dependantIds: [] }

function issueOf(policy: DocumentedPolicy, type: DocumentType) {
  if (type === 'enrollment_form') return ENROLMENT
  if (!policy.issued) throw notYetAvailable('The policy has not been issued yet.')
  checkCovers(policy.issued, type)
  return policy.issued
}

/** Refuses with 404 when the document is a card of somebody whom the issue does not cover. */
export function checkCovers({ dependantIds }: { dependantIds: string[] }, type: DocumentType): void {
  const member = memberOf(type)
  if (member !== undefined && member !== 'self' && !dependantIds.includes(member)) throw notFound()
}

const memberOf = (type: DocumentType): string | undefined => /^health_card\/(.+)$/.exec(type)?.[1]

type Making = { policy: DocumentedPolicy; type: DocumentType; snapshot: PolicySnapshot }

function made(kit: Kit, { policy, type, snapshot }: Making): Document {
  const { typesetter } = kit
  const paper = printed(snapshot, { policy, ...kit })
  const memberId = memberOf(type)
  const card = memberId === undefined ? undefined : printedCard(kit, { policy, paper, memberId })
  const template = card ? 'health_card' : type
  const decisive = canonicalJson({ revision: typesetter.revision, template, paper, card })
  return {
    etag: `"${createHash('sha256').update(decisive).digest('base64url').slice(0, ETAG_LENGTH)}"`,
    make: (signal) => {
      const data = card ? { ...paper, card: { ...card, qr: encodeQR(card.check_url, 'svg', QR) } } : paper
      return typesetter.typeset({ template, data, madeAt: new Date(snapshot.made_on), ...(signal && { signal }) })
    },
  }
}

const ETAG_LENGTH = 22

/** Medium correction: a card gets bent and scratched, and the address is long. Four modules of quiet, as scanners want. */
const QR = { ecc: 'medium', border: 4 } as const

type Card = { policy: DocumentedPolicy; paper: Printed; memberId: string }

function printedCard({ vault, cards, origin }: Kit, { policy, paper, memberId }: Card) {
  const holder = printedHolder(paper, memberId)
  if (!holder) throw notFound()
  const { id } = cardOfMember(vault, { userId: policy.userId, policyId: policy.id, memberId })
  return { ...holder, check_url: `${origin}${CARD_CHECK_PATH}/${cards.issue(id)}` }
}

/** Where anybody can check a card, beside the origin. */
export const CARD_CHECK_PATH = '/verify/health_card'
