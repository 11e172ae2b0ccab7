type Close = () => Promise<unknown>

let closers: Close[] | undefined

/**
 * Marks a process that runs many files, which share what is expensive to open. With `node --test` each file has its
 * own.
 */
export function shareProcess(): void {
  closers = []
}

export const isProcessShared = (): boolean => closers !== undefined

/** Registers something to close when the last file is done. */
export const closeAtEnd = (close: Close): void => void closers?.push(close)

export async function endProcess(): Promise<void> {
  for (const close of closers?.toReversed() ?? []) await close()
}
