import { listAccessLog } from './list-access-log.ts'
import { listAuditLog } from './list-audit-log.ts'
import { listExposure } from './list-exposure.ts'

export { AccessActor, AccessEntry, describeActor, presentForUser, type Summaries } from './records.ts'
export { END as END_OF_LOG, listOfUser } from './store.ts'

export const auditOperations = [listAuditLog, listAccessLog, listExposure]
