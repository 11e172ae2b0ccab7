/**
 * A queue in which callers take turns: the tasks of one caller wait for each other, not those of others. When it is
 * full, the caller with the most tasks loses the last one.
 */
export function createFairQueue<T>(max: number) {
  const lanes = new Map<string, T[]>() // the lane in front is next
  let length = 0

  function remove(name: string, task: T): boolean {
    const lane = lanes.get(name)
    const index = lane?.indexOf(task) ?? -1
    if (!lane || index === -1) return false
    lane.splice(index, 1)
    length--
    if (lane.length === 0) lanes.delete(name)
    return true
  }

  return {
    /** Adds a task, and returns the one that has no place any more, if any. */
    push(name: string, task: T): T | undefined {
      const lane = lanes.get(name) ?? []
      lanes.set(name, lane)
      lane.push(task)
      if (++length <= max) return undefined
      const [longest = name] = [...lanes.keys()].toSorted((a, b) => lengthOf(b) - lengthOf(a))
      const last = lanes.get(longest)?.at(-1)
      if (last !== undefined) remove(longest, last)
      return last
    },

    /** Removes and returns the next task. */
    shift(): T | undefined {
      for (const [name, lane] of lanes) {
        const [task] = lane
        if (task === undefined) continue
        lanes.delete(name)
        lanes.set(name, lane) // behind all others
        remove(name, task)
        return task
      }
      return undefined
    },

    /** Removes a task; false when it does not wait any more. */
    remove,

    /** Removes and returns every task. */
    clear(): T[] {
      const all = [...lanes.values()].flat()
      lanes.clear()
      length = 0
      return all
    },
  }

  function lengthOf(name: string): number {
    return lanes.get(name)?.length ?? 0
  }
}
