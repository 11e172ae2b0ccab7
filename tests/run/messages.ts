/** The messages to a process that runs test files: to run one, in an environment that says where the database is, or to end. */
export type Order = { run: string; environment: Record<string, string> } | { end: true }

export type TestResult = { name: string; outcome: 'passed' | 'failed' | 'skipped'; took_ms: number; error?: string }

/**
 * Its messages: that it can run files, that a test begins, how one ended, what became of the file, and in the end what went
 * wrong outside of all tests.
 */
export type Report =
  | { ready: true }
  | { begun: string }
  | { ended: TestResult }
  | { done: { took_ms: number; cpu_s: number; errors: string[] } }
  | { error: string }

export type FileResult = {
  file: string
  tests: TestResult[]
  /** What is wrong beside the tests: it cannot be loaded, has no tests, left something changed, hung or ended its process. */
  errors: string[]
  took_ms: number
  cpu_s: number
}
