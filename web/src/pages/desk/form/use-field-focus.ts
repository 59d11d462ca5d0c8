import { useSyncExternalStore } from 'react'

/** Whether somebody types: a field has the focus, in which single keys are text. */
export function useFieldFocus(): boolean {
  return useSyncExternalStore(subscribe, () => isField(document.activeElement))
}

/** A field for text. A radio button is none. */
export function isField(element: EventTarget | null): boolean {
  return element instanceof HTMLElement && element.matches('input:not([type="radio"], [type="checkbox"]), textarea')
}

function subscribe(onChange: () => void): () => void {
  const later = () => queueMicrotask(onChange) // when a field loses the focus, the next element does not have it yet
  addEventListener('focusin', onChange)
  addEventListener('focusout', later)
  return () => {
    removeEventListener('focusin', onChange)
    removeEventListener('focusout', later)
  }
}
