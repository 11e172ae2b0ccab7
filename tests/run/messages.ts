/** Messages to a process that runs test files: run one, with the environment that has the database's URL, or end within a time. */
export type Order = { run: string; environment: Record<string, string> } | { within_ms: number }

export type TestResult = { name: string; outcome: 'passed' | 'failed' | 'skipped'; took_ms: number; error?: string }

/** Its messages: ready, a test began, a test ended, a file is done, and errors outside all tests. */
export type Report =
  | { ready: true }
  | { begun: string }
  | { ended: TestResult }
  | { done: { took_ms: number; cpu_s: number; errors: string[] } }
  | { error: string }

export type FileResult = {
  file: string
  tests: TestResult[]
  /**
   * Errors of the file itself: it cannot be loaded, has no tests, left shared state changed, hung or ended its process.
   */
  errors: string[]
  took_ms: number
  cpu_s: number
}
