import { listPermissions } from './list-permissions.ts'

export { listAllPermissions, type Permissions } from './records.ts'

export const permissionOperations = [listPermissions]
