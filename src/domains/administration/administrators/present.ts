import { wireTime } from '../../../kernel/clock.ts'
import type { Administrator, Session, ShownAdministrator } from './store.ts'

export const presentAdministrator = ({ id, name, role, status, lastSeenAt }: ShownAdministrator) => ({
  id,
  name,
  role,
  status,
  last_seen_at: lastSeenAt,
})

export const presentSession = ({ id, role, createdAt, lastSeenAt, lastsUntil }: Session) => ({
  id,
  role,
  created_at: createdAt,
  last_seen_at: lastSeenAt,
  expires_at: wireTime(lastsUntil),
})

export const presentCurrentSession = ({ id, name }: Administrator, { role, lastsUntil }: Session) => ({
  administrator_id: id,
  name,
  role,
  expires_at: wireTime(lastsUntil),
})
