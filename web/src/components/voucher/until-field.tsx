import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '../../new-version.tsx'
import type { UntilPickerProps } from './until-picker.tsx'

const UntilPicker = lazyPart(async () => (await import('./until-picker.tsx')).UntilPicker)

/** Chooses a time to come. The calendar is a separate bundle, which all these fields share. */
export function UntilField(props: UntilPickerProps) {
  return (
    <Suspense fallback={<Skeleton h={94} />}>
      <UntilPicker {...props} />
    </Suspense>
  )
}
