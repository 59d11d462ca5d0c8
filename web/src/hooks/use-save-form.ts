import { type UseFormInput, useForm } from '@mantine/form'
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Changed, changedFields } from '../changed-fields.ts'
import { fieldErrors } from '../field-errors.ts'

type Values = Record<string, unknown>

type Options<V extends Values, Fields extends object, Created, Updated> = Pick<
  UseFormInput<V>,
  'validate' | 'validateInputOnBlur'
> & {
  /** The values at the opening. They stay the same when the thing is loaded again meanwhile. */
  initialValues: V
  /** The values as the API takes them. */
  toFields: (values: V) => Fields
  /** Sends all fields, for a new thing. */
  create?: UseMutationOptions<Created, Error, Fields>
  /** Sends the fields that the person changed. */
  update?: UseMutationOptions<Updated, Error, Changed<Fields>>
  /** Lists of the API whose order matters. */
  ordered?: readonly (keyof Fields & string)[]
  /** The fields for names and error codes of the API that the form calls otherwise. */
  fields?: Record<string, keyof V & string>
  /** Texts for error codes that are better than those of the API. */
  texts?: Record<string, string>
  /** Gets the answer; undefined if nothing was changed, so that nothing was sent. */
  onSaved: (saved: Created | Updated | undefined) => unknown
}

/**
 * A form that saves something. It sends only the fields that the person changed, shows messages of the API at their fields until
 * these are edited, and moves the focus to the first wrong field. If a failure is about no field, it is `error`, and the button
 * gets the focus back, which it lost while it was loading.
 */
export function useSaveForm<V extends Values, Fields extends object, Created = never, Updated = never>({
  initialValues,
  validate,
  validateInputOnBlur,
  toFields,
  create,
  update,
  ordered,
  fields,
  texts,
  onSaved,
}: Options<V, Fields, Created, Updated>) {
  const form = useForm<V>({
    initialValues,
    clearInputErrorOnChange: true,
    ...(validate && { validate }),
    ...(validateInputOnBlur !== undefined && { validateInputOnBlur }),
  })
  const [start, setStart] = useState(initialValues)
  const element = useRef<HTMLFormElement>(null)
  const [rejections, setRejections] = useState(0)
  const errorsOf = (failure: unknown) =>
    fieldErrors(failure, { known: Object.keys(start), ...(fields && { fields }), ...(texts && { texts }) })
  const options = (create ?? update) as UseMutationOptions<Created | Updated, Error, unknown>
  const sent = useRef(initialValues)
  const save = useMutation({
    ...options,
    onSuccess: (saved) => {
      setStart(sent.current)
      form.resetDirty(sent.current)
      return onSaved(saved)
    },
    onError: (failure) => form.setErrors(errorsOf(failure)),
  })
  useEffect(() => {
    if (save.error || rejections > 0) focusFirstWrong(element.current)
  }, [save.error, rejections])
  const submit = (values: V) => {
    if (save.isPending) return
    sent.current = values
    const request = create ? toFields(values) : changedFields(toFields(start), toFields(values), ordered)
    if (request) save.mutate(request)
    else onSaved(undefined)
  }
  const isAtField = save.error !== null && Object.keys(errorsOf(save.error)).length > 0
  return {
    form,
    /** The attributes of the element `form`. */
    element: {
      ref: element,
      noValidate: true,
      onSubmit: form.onSubmit(submit, () => setRejections((count) => count + 1)),
    },
    isSaving: save.isPending,
    error: isAtField ? null : save.error,
  }
}

/** A group of choices has no mark of its own, only a message behind it. */
function focusFirstWrong(form: HTMLFormElement | null): void {
  const wrong = form?.querySelector('[aria-invalid="true"], .mantine-InputWrapper-error')
  const field = wrong?.matches('input, textarea') ? wrong : wrong?.parentElement?.querySelector('input, textarea')
  const next = field ?? form?.querySelector('[type="submit"]')
  if (next instanceof HTMLElement) next.focus()
}
