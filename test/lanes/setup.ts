import { cleanUpAfterFile } from '#test/on-file-end.ts'

// Vitest runs this file before each test file.
cleanUpAfterFile()
