package side

// Places that decide by absence: what a side lacks is not harmless, and no removal. Each line names what is missing,
// the function that misses it in this package or in package crds, what follows, and the script that shows it.
//
//   - an object, beside text that cannot be read: unread.mayHold: it is not judged (plan_unread)
//   - an object, beside a link to a folder that is not followed: objects.link: it is not judged (plan_unread)
//   - an object, beside a hidden file that has it: Reader.hidden: it is not judged (plan_unread)
//   - a namespace or a name: withholdAmbiguous: both objects are not judged (plan_folders)
//   - what kustomize makes of an object: objects.coverKustomized: it is not judged (plan_unread)
//   - what a chart renders: objects.coverCharts: it is not judged (plan_nothing)
//   - the value of a placeholder: Reader.examinePlaceholders: the object is not judged (plan_unread)
//   - a name that an API server accepts: invalidName: the text may be any object (plan_unread)
//   - all objects, on both sides: Reader.nothingFound: an error (plan_nothing)
//   - the Schema of a built-in config: Catalog.check: the object is not judged (plan_unread)
//   - a version of a CRD: Set.add: the CRD is named, and the exit code is that of an error (plan_crd)
