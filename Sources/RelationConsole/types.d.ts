// The types that several scripts of the console share. No browser loads them.

/** A child of an element: null, undefined and false are left out. */
type Child = Leaf | Children;
type Leaf = Node | string | number | boolean | null | undefined;
type Children = Child[];
type Heard = HTMLElementEventMap & DocumentEventMap & WindowEventMap;
type Attribute = string | number | boolean | null | undefined | ((event: any) => void);
type Attributes = {[name: string]: Attribute};

/** Shows a page in a place until the signal aborts. */
type Show = (place: HTMLElement, parameters: Record<string, string>, signal: AbortSignal) =>
  Promise<void>;

type Caller = {credential: string, app: string};
/** Where programs make their calls. */
type Place = {address: string, encrypted: boolean};
/** A part of what the server says about an error: its type, and the fields of it. */
type Detail = {
  type: string,
  debug?: {
    reason?: string, metadata?: Record<string, string>, fieldViolations?: Violation[],
  },
};
type Violation = {field: string, description: string};
type Refusal = {code?: string, message?: string, details?: Detail[]};
/** An error of a call: a `CallError`, or that of `fetch`, which has none of these fields. */
type Failure = Error & {code?: string, status?: number, reason?: string, details?: Detail[]};
/** A message of a call that is chosen while the page runs. */
type Dynamic = Record<string, any>;
/** The request of a call by its name; a name that the contract does not have has none. */
type RequestOf<Name extends string> =
  Name extends keyof Relation.Calls ? Relation.Calls[Name]['request']
  : string extends Name ? Dynamic : never;
/** The answer of a call by its name. */
type AnswerOf<Name extends string> =
  Name extends keyof Relation.Calls ? Relation.Calls[Name]['answer']
  : string extends Name ? Dynamic : never;
/** The rows of a list in an answer. */
type RowOf<List> = List extends (infer Row)[] ? Row : never;

/** A part of the contract: its name, its comment, and the names that other systems have for it. */
type Described = {name: string, lines: string[], foreign: string[]};
type Value = Described & {number: string, short: string};
type Enum = Described & {values: Value[]};
type Message = Described & {fields: Field[]};
type Service = Described & {calls: Call[]};
/** The type of a field: of its values, if it is a map. Fields of a `oneof` are optional. */
type FieldType = {
  type: string, oneof: string, repeated?: boolean, optional?: boolean, map?: boolean, key?: string,
};
type Field = Described & FieldType & {json: string};
/** A call, whose `path` has the service and the name. It may send or give a stream. */
type Signature = {
  path: string, service: Service, request: string, answer: string, sends: boolean, gives: boolean,
};
type Call = Described & Signature & {reads: boolean, dryRun: boolean};
/** The parts of the contract that another system's name stands for, and the calls that have them. */
type Counterpart = {ours: Set<string>, paths: Set<string>};
type Contract = {
  services: Service[],
  /** Calls by their paths. */
  calls: Map<string, Call>,
  /** Messages and enums by their names. */
  messages: Map<string, Message>,
  enums: Map<string, Enum>,
  /** The things that names of other systems stand for, by these names in lower case. */
  foreign: Map<string, Counterpart>,
  /** The words of forms for names of values and calls; made when the first form needs them. */
  labels: Map<string, string>,
};

/**
 * The place of a value in a form: a field of a message, or all of a request. With `keeps` it stays
 * where it is although it has no fields.
 */
type Slot = {get: () => any, set: (value: any) => void, keeps?: boolean};
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/**
 * The options of the dialog of a call. `request` has the fields that are given, and `hides` the
 * paths of those that are not shown. With `word` the button works only once that word is typed.
 * `present` has the values that stand, of which only the changed ones are sent. `result` tells in
 * words what came of the call.
 */
type Options = {
  request?: Dynamic, hides?: string[], word?: string, app?: string, say?: string,
  present?: Dynamic, result?: (answer: Dynamic) => Child,
};

/** All that the parts of the page of an app share: the app, and calls that are made in it. */
type AppPage = {
  all: Contract,
  app: string,
  parameters: Record<string, string>,
  signal: AbortSignal,
  place: Element,
  calls: <Name extends string>(name: Name, request: RequestOf<Name>) => Promise<AnswerOf<Name>>,
  /** Opens a write as a dialog, and draws the page anew once it is done. */
  operate: (path: string, more?: Options) => Promise<void>,
};
type AppPart = (page: AppPage, place: Element) => Promise<void>;
/** A list of an app: its call, the field that has the rows, and how each of them is shown. */
type AppList<Name extends keyof Relation.Calls, Rows extends string & keyof AnswerOf<Name>> = {
  title: string,
  path: Name,
  field: Rows,
  request?: RequestOf<Name>,
  columns: string[],
  row: (row: RowOf<AnswerOf<Name>[Rows]>) => Child[],
  /** Stands below. */
  add?: Child,
  /** Said if there is no row. */
  empty: string,
};
/** A list of a user: the call that reads it, the field with its rows, and how each is shown. */
type UserList<Name extends keyof Relation.Calls,
  Rows extends string & keyof Relation.Calls[Name]['answer']> = {
  method: Name,
  request?: RequestOf<Name>,
  field: Rows,
  name: string,
  /** The names of the columns. */
  names: string[],
  row: (row: RowOf<Relation.Calls[Name]['answer'][Rows]>) => Child[],
  /** Said if the list is empty. */
  none: string,
};
/** The user whose profile is shown, as far as it was read. */
type UserRead = {
  user: string,
  parameters: Record<string, string>,
  own: Relation.GetSelfProfileResponse,
  chosen: Relation.GetVisibilityResponse,
  found: Relation.GetFindSettingsResponse,
  acts: import('./Files/user/writes.js').Acts,
  presence: Relation.Presence,
  signal: AbortSignal,
};

/** What every explanation answers: its code, the reason of that, and the questions of the rule. */
type Answered = {code?: string, reason?: string, rungs?: Relation.Rung[]};
/** A user that is listed: how it was found, its picture, and when its account was made. */
type Hit = {id: string, name: string, how: string, face?: string, made?: string};
/** The fields of a request for the other user. */
type Asked = (other: string) => Dynamic;
/** Words by their values. */
type Words = Record<string, string>;
/** A field of the form of a profile: its name in JSON, its type or its choices. */
type Editable = [json: string, type: string | Words];

/** How a user that is drawn stands to the one in the middle. */
type RelationState =
  'both' | 'one' | 'sent' | 'received' | 'blocked' | 'follows' | 'follower' | 'mutual'
  | 'step' | 'invited' | 'invitation';
/** A shape and its place on the canvas. */
type Placed = [state: RelationState, x: number, y: number];
/** A user that is drawn. The distance between neighbours is 1, and the user in the middle at 0, 0. */
type Dot = {
  id: string,
  name: string,
  groups: string[],
  state: RelationState,
  addTimeMs?: string,
  /** The address of the picture. */
  face?: string,
  /** Whether it is not a friend. */
  isOther?: boolean,
  /** What is true of it beside its state: who follows, and whether an invitation was used. */
  badges?: RelationState[],
  x: number,
  y: number,
};
/**
 * Friends that stand together, between two angles. `index` and `color` are those of the drawing,
 * and `mark` is the colour for an element of the page.
 */
type Sector = {
  name: string,
  members: Dot[],
  /** Whether these friends are in no group. */
  isNone?: boolean,
  /** Whether it has several small groups. */
  isShared?: boolean,
  /** Whether the drawing leaves its name out. */
  isHidden?: boolean,
  from: number,
  to: number,
  gap: number,
  weight: number,
  index: number,
  color: string,
  mark: string,
};
/** A circle, or what two users share, as it is drawn. */
type Drawing = Arrangement & {name: string};
type Brush = CanvasRenderingContext2D;
/** A place that a name takes. */
type Box = {left: number, right: number, top: number, bottom: number};
/** Called with the user that is pointed at or chosen, or with null; and once colours are known. */
type Pointing = {
  pointed: (node: Dot | null) => void,
  chosen: (node: Dot | null, kind: string) => void,
  colored: () => void,
};
/** Friends in common that were read: a thousand of them, and how many there are. */
type Common = {ids: string[], total: number};
type Arrangement =
  {sectors: Sector[], radius: number, outer: number, nodes: Dot[], middle?: number};

/** Who makes a call that is shown as a program. */
type Who = Caller & {place: Place};
type Writer = (all: Contract, call: Call, requests: Dynamic[], who: Who) => string;
/** Writes a single value as code. */
type Single = (value: any) => string;
/** How a language writes values. */
type Language = {
  list: (parts: string[]) => string,
  map: (pairs: [string, any][], single: Single) => string,
  mask: (names: string[]) => string,
  message: (type: string, value: Dynamic) => string,
  enumeration: (type: Enum, value: string | number) => string,
  bytes: (bytes: number[]) => string,
  text: (text: string) => string,
  bool: (value: boolean) => string,
};

type StreamState = 'connecting' | 'live' | 'state' | 'forgotten' | 'waiting' | 'ended';
/** More about the state of a stream. */
type More = {seconds?: number, lost?: string, now?: () => void, error?: Failure};
/** The place of the token of a stream. */
type Token = {get: () => string, set: (token: string) => void};
/** An event or a note in the list; `row` is its place once it is drawn. */
type Entry = {kind: string, event?: Relation.ChangeEvent, text?: string, row?: HTMLElement};

/** A profile with its fields by their names. */
type Profile = Relation.Profile & Record<string, any>;
type Access = Map<string, Relation.FieldAccessState | undefined>;
/** A profile as one viewer sees it; `fields` are explained, if the credential may know rules. */
type Look = {
  viewer: string, said: string, profile: Profile, access: Access,
  fields: Map<string, Relation.ExplainedField>, none?: boolean,
};

/** A number for each line, or null where there is none. */
type Values = (number | null)[];
/** A reading; `wall` is the time of day. */
type Point = {at: number, wall: number, values: Values};
type Format = (value: number) => string;
