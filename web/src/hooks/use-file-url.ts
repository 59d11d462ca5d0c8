import { useEffect, useState } from 'react'

/** The address of a file that somebody chose, to show it; null without a file. */
export function useFileUrl(file: File | null | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return setUrl(null)
    const chosen = URL.createObjectURL(file)
    setUrl(chosen)
    return () => URL.revokeObjectURL(chosen)
  }, [file])
  return url
}
