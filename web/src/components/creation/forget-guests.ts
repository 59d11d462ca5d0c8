import { hasFields, storedValue } from '../../stored-value.ts'
import { changeDesk, type Desk, isDesk, type StoredDesk } from './creation.ts'
import { isOpen } from './undo.ts'

/**
 * Removes the guests that the desk keeps in this tab: what was typed, and creations whose outcome is known, with their codes.
 * Creations and undos with an open outcome stay. Only the same person can see them, and without their keys they could be created twice.
 */
export function forgetGuests(storage: Storage): void {
  for (const key of Object.keys(storage)) {
    if (/^vs\..*\.(draft|input)\./.test(key)) storage.removeItem(key)
    else if (/^vs\.desk\.[^.]+$/.test(key)) forgetSettledCreations(storage, key)
    else if (/^vs\.many\.[^.]+$/.test(key)) forgetSettledBatch(storage, key)
  }
}

function forgetSettledCreations(storage: Storage, key: string): void {
  const stored = storedValue({ storage, key, version: 1, isValid: isDesk })
  const desk = stored.read()
  const open = desk && onlyOpen(desk)
  stored.write(open && open.aside.length + open.undos.length > 0 ? open : null)
}

function onlyOpen({ undos = [], ...stored }: StoredDesk): Desk {
  const { aside } = changeDesk({ ...stored, undos }, { type: 'next' })
  return { current: null, aside: aside.filter(({ status }) => !isSettled(status)), undos: undos.filter(isOpen) }
}

function forgetSettledBatch(storage: Storage, key: string): void {
  const isValid = (value: unknown): value is { status: { kind: string } } =>
    hasFields(value, { status: 'object' }) && !isSettled((value as { status: { kind: string } }).status)
  const stored = storedValue({ storage, key, version: 1, isValid })
  stored.write(stored.read())
}

const settledKinds = ['made', 'none', 'rejected']

function isSettled({ kind }: { kind: string }): boolean {
  return settledKinds.includes(kind)
}
