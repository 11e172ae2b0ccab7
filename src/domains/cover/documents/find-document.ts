import { hash } from 'node:crypto'
import { encodeQR } from 'qr'
import { todayIn } from '../../../kernel/clock.ts'
import type { ApiDeps } from '../../../record/index.ts'
import { canonicalJson } from '../../../kernel/canonical.ts'
import { underEachKey } from '../../../kernel/crypto/vault.ts'
import { notFound, ProblemError } from '../../../kernel/problem-error.ts'
import type { Policy } from '../policies/records.ts'
import { findIssued } from '../policies/states.ts'
import { CARD_CODE_PATH, cardOfMember } from './card-of-member.ts'
import { chooseIssue } from './document-urls.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'
import { checkCovers, noSuchIssue, type RequestedDocument } from './requested-document.ts'
import { type DocumentFile, findFileAndSnapshot, findOnDay, registeredCard } from './store.ts'
import { cardHolderData, templateData } from './template-data.ts'

/** A document with its ETag: an uploaded file, or one generated on request. */
export type Document = { etag: string } & (
  | { file: DocumentFile }
  | { make: (signal?: AbortSignal) => Promise<Uint8Array> }
)

/**
 * Returns a document of the issue that was asked for, else of the one that holds today: the uploaded file, else one generated from
 * the snapshot of the issue. Typesets nothing yet. Throws 404 when the issue does not cover the member of the card, 404 with
 * a detail when the policy has not been issued yet or has no such issue.
 */
export async function findDocument(deps: ApiDeps, policy: Policy, document: RequestedDocument): Promise<Document> {
  const last = chooseIssue(document.kind, findIssued(policy))
  if (!last) throw notYetAvailable('The policy has not been issued yet.')
  if (document.issue !== undefined && document.issue > last.issue) throw noSuchIssue()
  const asked = document.issue ?? last.issue
  // Who leaves at the end of this term is not on the next one, which may be issued already: the snapshot decides.
  if (asked === last.issue && policy.memberDays === null) checkCovers(last, document)
  const { type: documentType } = document
  const today = todayIn(deps.calendar)
  const { file, snapshot } =
    document.issue === undefined
      ? await findOnDay(deps.db, policy, { documentType, last: asked, today })
      : await findFileAndSnapshot(deps.db, policy, { documentType, issue: asked })
  if (file) return { etag: etagOfFile(file), file }
  if (!snapshot) throw notYetAvailable('The policy was enrolled before these documents were stored.')
  return generated(deps, { policy, document, snapshot })
}

/** Returns a 404 with a reason: the caller may see the policy, but the document does not exist yet. */
const notYetAvailable = (why: string) => new ProblemError('not_found', `The document does not exist yet. ${why}`)

export const etagOfFile = (file: DocumentFile): string => `"${file.sha256}"`

type DocumentCommand = { policy: Policy; document: RequestedDocument; snapshot: PolicySnapshot }

async function generated(deps: ApiDeps, { policy, document, snapshot }: DocumentCommand): Promise<Document> {
  const { typesetter, origin } = deps
  const { template, hasCode } = document.kind
  const common = templateData(snapshot, { policy, origin })
  const { memberId } = document
  const card = memberId === undefined ? undefined : cardHolderData(snapshot, common, memberId)
  if (memberId !== undefined && !card) throw notFound()
  const url = hasCode ? await checkUrl(deps, policy, memberId ?? 'self') : undefined
  const decisive = canonicalJson({ revision: typesetter.revision, template, common, card, url })
  return {
    etag: `"${hash('sha256', decisive, 'base64url').slice(0, ETAG_LENGTH)}"`,
    make: (signal) => {
      const check = url === undefined ? undefined : { url, qr: encodeQR(url.toUpperCase(), 'svg', QR) }
      const data = { ...common, card, check }
      return typesetter.typeset({ template, data, madeAt: new Date(snapshot.made_on), ...(signal && { signal }) })
    },
  }
}

const ETAG_LENGTH = 22

/**
 * Medium correction: cards get bent and scratched. Scanners need a quiet zone of four modules. In capitals a URL of 154
 * characters makes a code of 41 by 41 modules; before, its 246 made one of 61.
 */
const QR = { ecc: 'medium', border: 4 } as const

async function checkUrl({ db, vault, cards, origin }: ApiDeps, policy: Policy, memberId: string): Promise<string> {
  const holder = { userId: policy.userId, policyId: policy.id, memberId }
  const { id } = await registeredCard(
    db,
    underEachKey(vault, (hasher) => cardOfMember(hasher, holder)),
  )
  return `${origin}${CARD_CODE_PATH}/${cards.issue(id)}`
}
