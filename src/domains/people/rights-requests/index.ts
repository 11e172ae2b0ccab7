import { createRightsRequest } from './create-rights-request.ts'
import { listRightsRequests } from './list-rights-requests.ts'
import { setRightsRequestState } from './set-rights-request-state.ts'

export { presentRightsRequest, RightsRequestRecord as RightsRequestSchema } from './records.ts'
export { RIGHTS_MACHINE, RIGHTS_STATES } from './states.ts'
export { ERASE_RIGHTS_REQUESTS, findRequests, REQUEST_TEXT } from './store.ts'

export const rightsRequestOperations = [createRightsRequest, listRightsRequests, setRightsRequestState]
