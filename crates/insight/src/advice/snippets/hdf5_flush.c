H5Fflush(file, H5F_SCOPE_GLOBAL);  // once, when the checkpoint is complete
