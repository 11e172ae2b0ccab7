import { listStateMachines } from './list-state-machines.ts'
import { readStateMachine } from './read-state-machine.ts'

export { type MachineName, MACHINES } from './states.ts'

export const stateMachineOperations = [listStateMachines, readStateMachine]
