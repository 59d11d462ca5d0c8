import { useEffect, useId, useRef } from 'react'
import classes from './code-input.module.css'

type Props = {
  label: string
  value: string
  /** Gets the digits of what was typed or pasted, at most six. */
  onChange: (digits: string) => void
  /** The sixth digit was typed. */
  onComplete: (digits: string) => void
  /** Why the last code was rejected. */
  error?: string | undefined
  /** The code cannot be changed now. */
  isFixed?: boolean
  /** Gets the focus when it appears. */
  hasFocus?: boolean
}

const length = 6

/** A field for the six digits of an authenticator app, drawn as six boxes. */
export function CodeInput({ label, value, onChange, onComplete, error, isFixed = false, hasFocus = false }: Props) {
  const errorId = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (hasFocus) field.current?.focus()
  }, [hasFocus])
  const change = (text: string) => {
    const digits = text.replaceAll(/\D/g, '').slice(0, length)
    onChange(digits)
    if (digits.length === length && digits !== value) onComplete(digits)
  }
  return (
    <div>
      <div
        className={classes.field}
        data-wrong={error !== undefined || undefined}
        data-waiting={(isFixed && value === '') || undefined}
      >
        <input
          className={classes.input}
          ref={field}
          aria-label={label}
          aria-invalid={error !== undefined}
          {...(error !== undefined && { 'aria-describedby': errorId })}
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus={hasFocus || undefined}
          data-mantine-stop-propagation // Esc belongs to the dialog around it, not to one below that
          readOnly={isFixed}
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <div className={classes.boxes} aria-hidden>
          {Array.from({ length }, (_, place) => (
            <span
              key={place}
              className={classes.box}
              data-next={place === Math.min(value.length, length - 1) || undefined}
            >
              {value[place]}
            </span>
          ))}
        </div>
      </div>
      {error !== undefined && (
        <div
          className="mantine-InputWrapper-error"
          id={errorId}
          role="alert"
          style={{ color: 'var(--mantine-color-error)' }}
        >
          {error}
        </div>
      )}
    </div>
  )
}
