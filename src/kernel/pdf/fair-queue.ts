/**
 * A queue that serves callers in rotation: the tasks of one caller wait for each other, not those of others. When it is
 * full, the caller with the most tasks loses the last one.
 */
export function createFairQueue<T>(max: number) {
  const tasksOf = new Map<string, T[]>() // the caller in front is next
  let length = 0

  function remove(caller: string, task: T): boolean {
    const tasks = tasksOf.get(caller)
    const index = tasks?.indexOf(task) ?? -1
    if (!tasks || index === -1) return false
    tasks.splice(index, 1)
    length--
    if (tasks.length === 0) tasksOf.delete(caller)
    return true
  }

  return {
    /** Adds a task, and returns the one that has no place any more, if any. */
    push(caller: string, task: T): T | undefined {
      const tasks = tasksOf.get(caller) ?? []
      tasksOf.set(caller, tasks)
      tasks.push(task)
      if (++length <= max) return undefined
      const [[longest, most] = [caller, tasks]] = [...tasksOf].toSorted(([, a], [, b]) => b.length - a.length)
      const last = most.at(-1)
      if (last !== undefined) remove(longest, last)
      return last
    },

    /** Removes and returns the next task. */
    shift(): T | undefined {
      for (const [caller, tasks] of tasksOf) {
        const [task] = tasks
        if (task === undefined) continue
        tasksOf.delete(caller)
        tasksOf.set(caller, tasks) // behind all others
        remove(caller, task)
        return task
      }
      return undefined
    },

    /** Removes a task; false when it does not wait any more. */
    remove,

    /** Removes and returns every task. */
    clear(): T[] {
      const all = [...tasksOf.values()].flat()
      tasksOf.clear()
      length = 0
      return all
    },
  }
}
