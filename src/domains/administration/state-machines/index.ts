import { listStateMachines } from './list-state-machines.ts'
import { readStateMachine } from './read-state-machine.ts'

export const stateMachineOperations = [listStateMachines, readStateMachine]
