import { createContext, useContext, useEffect } from 'react'

/** Says to the page whether the open tab has changes that are not saved. */
export const UnsavedContext = createContext<(isUnsaved: boolean) => void>(() => {})

/** Marks the open tab as "not saved" while `isUnsaved` is true. */
export function useUnsavedMark(isUnsaved: boolean): void {
  const mark = useContext(UnsavedContext)
  useEffect(() => {
    mark(isUnsaved)
    return () => mark(false)
  }, [mark, isUnsaved])
}
