import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { cardOfMember } from './card-of-member.ts'
import { listCards, registerCards } from './store.ts'

/** Registers the card of each member under the newest hash key too. The older rows stay, for printed cards. */
export async function rehashCards(
  { db, vault }: { db: Queryable; vault: Vault },
  onProgress: (done: number) => void,
): Promise<void> {
  let done = 0
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const cards = await listCards(db, after)
    const last = cards.at(-1)
    if (!last) return
    done += await registerCards(
      db,
      cards.map((card) => ({ ...card, from: card.hash, hash: cardOfMember(vault, card).hash })),
    )
    onProgress(done)
    after = last.hash
  }
}
