/** How many of the API processes are ready. */
export type ProcessCount = { ready: number; all: number }

/** The messages of a supervisor to a child process. */
export type ToChild =
  | ({ kind: 'count' } & ProcessCount)
  /** The sandbox has moved the calendar. */
  | { kind: 'calendar'; offset_ms: number }
  /** Asks for the metrics. */
  | { kind: 'metrics'; id: number }
  /** Asks whether it responds. */
  | { kind: 'ping'; id: number }
  /** A new process has replaced this one: it drains and exits. */
  | { kind: 'leave' }

/** The messages of a child process to its supervisor. */
export type ToSupervisor =
  | { kind: 'ready' }
  | { kind: 'metrics'; id: number; page: string }
  | { kind: 'pong'; id: number }
