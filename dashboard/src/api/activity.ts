const USED_MS = 60_000
const INPUTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/** Opening the page is a use of it. */
let lastInputAt = performance.now()
for (const type of INPUTS)
  addEventListener(type, () => void (lastInputAt = performance.now()), { capture: true, passive: true })

/** Whether somebody is at this page: what it asks otherwise, it asks by itself, and no session lasts longer by that. */
export const isInUse = (): boolean => performance.now() - lastInputAt < USED_MS
