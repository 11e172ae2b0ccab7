/** A message of PostgreSQL's protocol: its type letter, empty for a client's first one, and its content. */
export type Frame = { type: string; body: Buffer; bytes: Buffer }

const LENGTH_BYTES = 4

/** Splits a stream of bytes into whole messages. A client's first message has no type letter. */
export function frameReader({ isClient }: { isClient: boolean }): (chunk: Buffer) => Frame[] {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = isClient ? 0 : 1

  function next(): Frame | undefined {
    if (rest.length < typeBytes + LENGTH_BYTES) return undefined
    const end = typeBytes + rest.readInt32BE(typeBytes)
    if (rest.length < end) return undefined
    const bytes = rest.subarray(0, end)
    const frame = {
      type: bytes.toString('latin1', 0, typeBytes),
      body: bytes.subarray(typeBytes + LENGTH_BYTES),
      bytes,
    }
    rest = rest.subarray(end)
    typeBytes = 1
    return frame
  }

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const frames: Frame[] = []
    for (let frame = next(); frame; frame = next()) frames.push(frame)
    return frames
  }
}

/** The zero-terminated strings at the start of some messages. */
export function textsIn(body: Buffer, count: number): string[] {
  const texts: string[] = []
  for (let from = 0; texts.length < count; ) {
    const end = body.indexOf(0, from)
    if (end === -1) break
    texts.push(body.toString('utf8', from, end))
    from = end + 1
  }
  return texts
}
