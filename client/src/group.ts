import type { Connection } from './connection.ts'
import type { UserId } from './generated/ids.ts'

/** Operations that belong together. */
export class Group {
  declare protected readonly connection: Connection

  constructor(connection: Connection) {
    // Not enumerable, so that printing a client shows no settings.
    Object.defineProperty(this, 'connection', { value: connection })
  }
}

/** Operations about one user. */
export class GroupOfUser extends Group {
  readonly userId: UserId

  constructor(connection: Connection, userId: UserId) {
    super(connection)
    this.userId = userId
  }
}
