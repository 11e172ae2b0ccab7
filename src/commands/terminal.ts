/** The exit code of a command that failed, or found what it looks for to be wrong. */
export const EXIT_FAILURE = 1
/** The exit code of a command that was called wrongly. */
export const EXIT_USAGE = 2

const PROGRESS_STEP = 100

/** Prints a line of the result. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a line about the work, beside the result. */
export function report(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

/** Returns a function that reports progress now and then, in words for a number. */
export const reportProgress =
  (words: (done: number) => string) =>
  (done: number): void => {
    if (done % PROGRESS_STEP === 0) report(words(done))
  }
