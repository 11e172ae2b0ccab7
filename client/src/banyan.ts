import { Connection } from './connection.ts'
import { Events } from './events.ts'
import { Groups } from './generated/groups.ts'
import type { UserId } from './generated/ids.ts'
import type { Credentials, Settings } from './settings.ts'
import { User } from './user.ts'
import { Wallet } from './wallet.ts'
import { sign, verify } from './webhooks.ts'

/** The service, for one caller. */
export class Banyan extends Groups {
  /** What a receiver of webhooks needs. It needs no client: `@banyan/client/webhooks` has the same alone. */
  static readonly webhooks = { verify, sign }

  override readonly events: Events
  override readonly wallet: Wallet

  constructor(settings: Settings | Connection) {
    const connection = settings instanceof Connection ? settings : new Connection(settings)
    super(connection)
    this.events = new Events(connection)
    this.wallet = new Wallet(connection)
  }

  /** What concerns one user; sends nothing. */
  user(userId: UserId): User {
    return new User(this.connection, userId)
  }

  /** The same service for another caller, such as a user whose token you have. */
  as(credentials: Credentials): Banyan {
    return new Banyan(this.connection.with(credentials))
  }
}
