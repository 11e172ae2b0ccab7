/**
 * Reads a source ahead of its reader, up to so many bytes: a body arrives in the time that its sender needs, and not in that of what is
 * done with it. Ends the source when the reader leaves.
 */
export async function* readAhead(source: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  const queue: Buffer[] = []
  const state = {
    bytes: 0,
    isEnded: false,
    isLeft: false,
    error: undefined as unknown,
    wakeReader() {},
    wakeSource() {},
  }
  const read = async () => {
    for await (const piece of source) {
      queue.push(piece)
      state.bytes += piece.length
      state.wakeReader()
      while (state.bytes >= bytesMax && !state.isLeft)
        await new Promise<void>((resolve) => (state.wakeSource = resolve))
      if (state.isLeft) return
    }
  }
  const reading = read()
    .catch((error: unknown) => (state.error = error))
    .finally(() => {
      state.isEnded = true
      state.wakeReader()
    })
  try {
    for (;;) {
      for (let piece = queue.shift(); piece; piece = queue.shift()) {
        state.bytes -= piece.length
        state.wakeSource()
        yield piece
      }
      if (state.isEnded) break
      await new Promise<void>((resolve) => (state.wakeReader = resolve))
    }
    if (state.error !== undefined) throw state.error
  } finally {
    state.isLeft = true
    state.wakeSource()
    if (state.isEnded) await reading
  }
}
