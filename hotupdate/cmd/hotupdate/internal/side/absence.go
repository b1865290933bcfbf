package side

// Something that a side lacks is neither harmless nor removed. Each line names a missing thing, the
// function of this package or of package crds that finds it missing, the consequence, and the
// script that tests it.
//
//   - an object, if some text cannot be read: unread.mayHold: it is not judged (plan_unread)
//   - an object, if a link to a folder is not followed: objects.link: it is not judged (plan_unread)
//   - an object, if a hidden file has it: Reader.hidden: it is not judged (plan_unread)
//   - a namespace or a name: withholdAmbiguous: both objects are not judged (plan_folders)
//   - the object that kustomize makes: objects.coverKustomized: it is not judged (plan_unread)
//   - the objects that a chart renders: objects.coverCharts: it is not judged (plan_nothing)
//   - the value of a placeholder: Reader.examinePlaceholders: the object is not judged (plan_unread)
//   - a name that an API server accepts: invalidName: the text may be any object (plan_unread)
//   - all objects, on both sides: Reader.nothingFound: an error (plan_nothing)
//   - the Schema of a built-in config: Catalog.check: the object is not judged (plan_unread)
//   - a version of a CRD: Set.add: the CRD is named, and the exit code is that of an error (plan_crd)
