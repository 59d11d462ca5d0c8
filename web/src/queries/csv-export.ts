import { mutationOptions } from '@tanstack/react-query'
import { currentLanguage } from '../i18n/i18n.ts'
import { saveFile } from '../save-file.ts'

type Separator = ',' | ';'

/** Loads a table through the API and saves it as a file, with the separator that Excel expects in the language of the page. */
export function csvExport<Input = void>(
  fileName: () => string,
  load: (separator: Separator, input: Input) => Promise<string>,
) {
  return mutationOptions({
    mutationFn: async (input: Input) => saveCsv(fileName(), await load(currentLanguage() === 'de' ? ';' : ',', input)),
  })
}

function saveCsv(fileName: string, table: string): void {
  const bom = '\ufeff' // Excel reads UTF-8 only with it, and the browser has removed it
  saveFile(fileName, new Blob([bom, table], { type: 'text/csv' }))
}
