/** A name in snake case. */
export const NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** The same where names are keys of an object: `constructor` would find a member that every object inherits. */
export const KEY_NAME = /^(?!constructor$)[a-z][a-z0-9_]{0,63}$/;
