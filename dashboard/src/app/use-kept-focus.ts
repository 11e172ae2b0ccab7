import { useEffect } from 'react'

const ACTED_UPON = 'a, button, input, select, textarea, [tabindex="0"]'
const AROUND = '#content, [role=dialog]'
const CHANGES = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] }

/** An element that had the focus or is around it, and which child it was of the next. */
type Step = { element: HTMLElement; index: number }

/**
 * Keeps the focus where the person works. When what had it is gone, what stands in its place gets it, so that Tab goes on
 * from there and not from the top of the page; what was only disabled while something was sent gets it back.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let path: readonly Step[] = []
    /** Where the person was before a dialog opened, which can be gone with what opened it. */
    let onScreen: readonly Step[] = []
    let frame = 0
    const onFocus = ({ target }: FocusEvent) => {
      path = pathOf(target)
      if (document.getElementById('content')?.contains(path[0]?.element ?? null)) onScreen = path
    }
    // Who clicks on nothing takes the focus away.
    const onPointer = ({ target }: PointerEvent) => {
      if (target instanceof Element && !target.closest(ACTED_UPON)) path = []
    }
    const keep = () => {
      frame = 0
      const last = path[0]?.element
      if (!last || document.activeElement !== document.body) return
      if (last.isConnected && !last.matches(':disabled')) last.focus({ preventScroll: true })
      else if (last.dataset['loading'] === undefined || !last.isConnected)
        takeFocus(inPlaceOf(path) ?? inPlaceOf(onScreen))
    }
    // After what React puts in its place, which can take the focus itself.
    const observer = new MutationObserver(() => (frame ||= requestAnimationFrame(keep)))
    observer.observe(document.body, CHANGES)
    addEventListener('focusin', onFocus)
    addEventListener('pointerdown', onPointer, true)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      removeEventListener('focusin', onFocus)
      removeEventListener('pointerdown', onPointer, true)
    }
  }, [])
}

/** An element and what is around it, as far as its screen or dialog. */
function pathOf(target: EventTarget | null): Step[] {
  const path: Step[] = []
  const end = target instanceof HTMLElement ? target.closest(AROUND) : null
  for (let element = end && (target as HTMLElement); element; element = element.parentElement) {
    path.push({ element, index: [...(element.parentElement?.children ?? [])].indexOf(element) })
    if (element === end) break
  }
  return path
}

/** What stands where the innermost part that is gone stood. */
function inPlaceOf(path: readonly Step[]): HTMLElement | undefined {
  const around = path.findIndex(({ element }, step) => step > 0 && element.isConnected)
  const [gone, left] = [path[around - 1], path[around]]
  if (!gone || !left) return undefined
  const inPlace = left.element.children.item(Math.min(gone.index, left.element.children.length - 1))
  return inPlace instanceof HTMLElement ? inPlace : left.element
}

/** What takes no focus by itself takes it until it goes on. */
function takeFocus(element: HTMLElement | undefined): void {
  if (!element) return
  if (!element.matches(ACTED_UPON) && !element.hasAttribute('tabindex')) {
    element.tabIndex = -1
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  }
  element.focus({ preventScroll: true })
}
