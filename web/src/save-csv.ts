import { useMutation } from '@tanstack/react-query'
import { currentLanguage } from './i18n/i18n.ts'

type Separator = ',' | ';'

/** Loads a table through the API and saves it as a file, with the separator that Excel expects in the language of the page. */
export function useCsv<Input = void>(
  fileName: () => string,
  load: (separator: Separator, input: Input) => Promise<string>,
) {
  return useMutation({
    mutationFn: async (input: Input) => saveCsv(fileName(), await load(currentLanguage() === 'de' ? ';' : ',', input)),
  })
}

function saveCsv(fileName: string, table: string): void {
  const bom = '\ufeff' // Excel reads UTF-8 only with it, and the browser has removed it
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bom, table], { type: 'text/csv' }))
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000) // some browsers read the file only after the click
}
