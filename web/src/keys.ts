import { useHotkeys } from '@mantine/hooks'
import { useEffect, useSyncExternalStore } from 'react'

export type KeyEntry = {
  /**
   * The name in Mantine's `useHotkeys`: `n`, `mod+P`, `shift+?`. Without it, the element with the focus handles the
   * key.
   */
  hotkey?: string
  /** The keys as the list shows them, for example `Strg P`; several keys for a range. */
  shown: string[]
  /** The effect of the key, translated. */
  label: string
  run?: () => void
  /** The key also works while somebody types. Only for combinations with Ctrl. */
  whileTyping?: boolean
}

let groups: readonly (readonly KeyEntry[])[] = []
const listeners = new Set<() => void>()

function change(next: typeof groups): void {
  groups = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Makes keys work while the component is shown, and lists them under `?`. Single keys do nothing while somebody types. */
export function useKeys(entries: KeyEntry[]): void {
  const toHotkeys = (some: KeyEntry[]) =>
    some.flatMap(({ hotkey, run }) => (hotkey && run ? [[hotkey, run] as [string, () => void]] : []))
  useHotkeys(toHotkeys(entries.filter(({ whileTyping }) => !whileTyping)))
  useHotkeys(toHotkeys(entries.filter(({ whileTyping }) => whileTyping)), [])
  const identity = JSON.stringify(entries)
  // The list shows texts only, so only a change of texts matters.
  useEffect(() => {
    change([...groups, entries])
    return () => change(groups.filter((group) => group !== entries))
  }, [identity])
}

/** All keys that work now, each of them once. */
export function useKeyList(): KeyEntry[] {
  const all = useSyncExternalStore(subscribe, () => groups).flat()
  return [...new Map(all.map((entry) => [entry.shown.join(), entry])).values()]
}

let isOpen = false

function setIsOpen(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}

export const openKeys = () => setIsOpen(true)
export const closeKeys = () => setIsOpen(false)

export function useIsKeysOpen(): boolean {
  return useSyncExternalStore(subscribe, () => isOpen)
}
