import { createHash } from 'node:crypto'
import { encodeQR } from 'qr'
import type { Deps } from '../../deps.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { notFound } from '../../kernel/problem-error.ts'
import { cardOfMember } from './card-of-member.ts'
import type { DocumentedPolicy, PolicyDates } from './documented-policy.ts'
import { notYetAvailable } from './errors.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'
import { cardHolderData, type TemplateData, templateData } from './present.ts'
import { checkCovers, issueOf, type RequestedDocument } from './requested-document.ts'
import { type DocumentFile, findSources } from './store.ts'

/** A document with its validator: a stored file, or one that is made when it is asked for. */
export type Document = { etag: string } & (
  | { file: DocumentFile }
  | { make: (signal?: AbortSignal) => Promise<Uint8Array> }
)

export type Context = Pick<Deps, 'db' | 'vault' | 'typesetter' | 'cards'> & PolicyDates & { origin: string }

/**
 * Returns the document as it can be had now (contract 4.7): the file uploaded in its place, else made from what was kept of
 * the issue. Nothing is typeset here. Throws 404 when the policy does not cover whom the card is asked for, 404 with a detail
 * when the policy was not issued yet.
 */
export async function findDocument(
  context: Context,
  policy: DocumentedPolicy,
  document: RequestedDocument,
): Promise<Document> {
  const issued = issueOf(document.kind, policy)
  if (!issued) throw notYetAvailable('The policy has not been issued yet.')
  checkCovers(issued, document)
  const { file, snapshot } = await findSources(context.db, policy, { documentType: document.type, issue: issued.issue })
  if (file) return { etag: etagOfFile(file), file }
  if (!snapshot) throw notYetAvailable('The policy was enrolled before this document was kept.')
  return made(context, { policy, document, snapshot })
}

/** The strong validator of an uploaded document. */
export const etagOfFile = (file: DocumentFile): string => `"${file.sha256}"`

type DocumentCommand = { policy: DocumentedPolicy; document: RequestedDocument; snapshot: PolicySnapshot }

function made(context: Context, { policy, document, snapshot }: DocumentCommand): Document {
  const { typesetter } = context
  const { template } = document.kind
  const common = templateData(snapshot, { policy, ...context })
  const { memberId } = document
  const card = memberId === undefined ? undefined : cardData(context, { policy, common, memberId })
  const decisive = canonicalJson({ revision: typesetter.revision, template, common, card })
  return {
    etag: `"${createHash('sha256').update(decisive).digest('base64url').slice(0, ETAG_LENGTH)}"`,
    make: (signal) => {
      const data = card ? { ...common, card: { ...card, qr: encodeQR(card.check_url, 'svg', QR) } } : common
      return typesetter.typeset({ template, data, madeAt: new Date(snapshot.made_on), ...(signal && { signal }) })
    },
  }
}

const ETAG_LENGTH = 22

/** Medium correction: a card gets bent and scratched, and the address is long. Four modules of quiet, as scanners want. */
const QR = { ecc: 'medium', border: 4 } as const

type Card = { policy: DocumentedPolicy; common: TemplateData; memberId: string }

function cardData({ vault, cards, origin }: Context, { policy, common, memberId }: Card) {
  const holder = cardHolderData(common, memberId)
  if (!holder) throw notFound()
  const { id } = cardOfMember(vault, { userId: policy.userId, policyId: policy.id, memberId })
  return { ...holder, check_url: `${origin}${CARD_CHECK_PATH}/${cards.issue(id)}` }
}

/** Where anybody can check a card, beside the origin. */
export const CARD_CHECK_PATH = '/verify/health_card'
