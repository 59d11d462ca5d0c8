import { useHotkeys } from '@mantine/hooks'
import { useEffect, useSyncExternalStore } from 'react'

export type Shortcut = {
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

let groups: readonly (readonly Shortcut[])[] = []
const currentGroups = () => groups
const listeners = new Set<() => void>()

function change(next: typeof groups): void {
  groups = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Makes shortcuts work while the component is shown, and lists them under `?`. Single keys do nothing while somebody types. */
export function useShortcuts(entries: Shortcut[]): void {
  const toHotkeys = (some: Shortcut[]) =>
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

/** All shortcuts that work now, each of them once. */
export function useShortcutList(): Shortcut[] {
  const all = useSyncExternalStore(subscribe, currentGroups, currentGroups).flat()
  return [...new Map(all.map((entry) => [entry.shown.join(), entry])).values()]
}

/** The dialogs that a key opens on every page. Their keys work before the dialogs are rendered, which then open at once. */
type ShellDialog = 'search' | 'shortcuts'

let openDialog: ShellDialog | undefined
const currentDialog = () => openDialog

function setDialog(next: ShellDialog | undefined): void {
  openDialog = next
  for (const listener of listeners) listener()
}

export const openSearch = () => setDialog('search')
export const openShortcuts = () => setDialog('shortcuts')
export const closeShellDialog = () => setDialog(undefined)

export function useIsOpen(dialog: ShellDialog): boolean {
  return useSyncExternalStore(subscribe, currentDialog, currentDialog) === dialog
}
