/** What a supervisor tells a process. */
export type ToChild =
  /** How many of the processes of the API do their work. */
  | { kind: 'counted'; ready: number; all: number }
  /** How far the calendar is from real time; the sandbox moves it. */
  | { kind: 'calendar'; offset_ms: number }
  /** The page of its metrics is wanted. */
  | { kind: 'metrics'; question: number }
  /** Another process has its place: it lets its clients go and ends. */
  | { kind: 'leave' }

/** What a process tells its supervisor. */
export type ToSupervisor = { kind: 'ready' } | { kind: 'metrics'; question: number; page: string }
